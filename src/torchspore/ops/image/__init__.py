"""Images: resizing, cropping, sampling on grids, colours, channels, bounding boxes."""
