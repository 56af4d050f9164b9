import BoxLogin

BoxLogin.run()
