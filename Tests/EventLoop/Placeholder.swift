enum PlaceholderEventLoopTests {}
