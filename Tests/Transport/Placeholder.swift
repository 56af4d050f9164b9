enum PlaceholderTransportTests {}
