import Bluetooth

extension BlueZPeripheral {
    /// The addresses of the machine's adapters, as the kernel knows them; bluetoothd need not run.
    public static func adapterAddresses() -> [String] { BluetoothAddress.ofAdapters().map(\.description) }
}
