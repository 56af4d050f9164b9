enum PlaceholderTransport {}
