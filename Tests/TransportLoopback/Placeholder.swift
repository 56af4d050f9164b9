enum PlaceholderTransportLoopbackTests {}
