// Only the start is here; see BoxPhone.swift.
BoxPhone.main()
