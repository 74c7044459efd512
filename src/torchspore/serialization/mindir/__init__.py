"""MINDIR files, the deployment format of MindSpore: graphs of its primitives."""
