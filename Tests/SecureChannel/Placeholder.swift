enum PlaceholderSecureChannelTests {}
