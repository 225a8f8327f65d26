"""Tree to chunks: settings, measures, boundaries, the cut, context."""
