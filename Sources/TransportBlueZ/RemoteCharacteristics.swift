import DBus
import GATTProfile

/// The paths of the characteristics of a box's service in bluetoothd.
struct RemoteCharacteristics: Sendable, Equatable {
    let identity: ObjectPath
    let transfer: ObjectPath
    let psm: ObjectPath

    /// Returns nil if the device does not offer the complete service.
    init?(of device: ObjectPath, in objects: BlueZObjects) {
        let service = objects.paths(with: BlueZ.gattService).first {
            device.contains($0) && objects[$0, BlueZ.gattService]?["UUID"]?.text == GATTService.uuid
        }
        guard let service else { return nil }
        func path(_ uuid: String) -> ObjectPath? {
            objects.paths(with: BlueZ.characteristic).first {
                service.contains($0) && objects[$0, BlueZ.characteristic]?["UUID"]?.text == uuid
            }
        }
        guard let identity = path(GATTService.identityCharacteristic),
            let transfer = path(GATTService.transferCharacteristic), let psm = path(GATTService.psmCharacteristic)
        else { return nil }
        self.identity = identity
        self.transfer = transfer
        self.psm = psm
    }
}
