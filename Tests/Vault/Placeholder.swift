enum PlaceholderVaultTests {}
