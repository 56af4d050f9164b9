enum PlaceholderTransportLoopback {}
