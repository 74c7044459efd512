"""Steps of a pipeline: map, batch, joining and selecting."""
