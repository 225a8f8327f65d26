"""Chunks to a store and back: files, records, sync, embedding, search."""
