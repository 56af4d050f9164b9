enum PlaceholderSecureChannel {}
