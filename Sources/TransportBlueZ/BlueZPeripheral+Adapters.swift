import Bluetooth

extension BlueZPeripheral {
    /// Returns the addresses of this machine's adapters from the kernel, even if bluetoothd is not running.
    public static func adapterAddresses() -> [String] { BluetoothAddress.ofAdapters().map(\.description) }
}
