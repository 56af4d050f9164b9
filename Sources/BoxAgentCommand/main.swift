BoxAgentTool.main()
