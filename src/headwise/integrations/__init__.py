"""What is stored, handed to other programs: Chroma, Parquet, JSON Lines."""
