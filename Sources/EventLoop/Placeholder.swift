enum PlaceholderEventLoop {}
