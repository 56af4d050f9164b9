enum PlaceholderAgentClient {}
