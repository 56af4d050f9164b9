enum PlaceholderVault {}
