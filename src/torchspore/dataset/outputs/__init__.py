"""What leaves a pipeline: iterators, rows by number, files, its JSON form, vocabularies."""
