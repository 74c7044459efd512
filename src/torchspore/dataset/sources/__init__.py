"""Sources: Python objects, folders, files of texts and records, published data sets."""
