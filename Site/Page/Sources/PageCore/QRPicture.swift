/// A QR code as an SVG path (SVG 1.1 section 8.3), with one unit for each module.
public enum QRPicture {
    /// Draws each row's runs of dark modules as rectangles.
    public static func path(width: Int, isDark: (_ row: Int, _ column: Int) -> Bool) -> String {
        var path = ""
        for row in 0..<width {
            var column = 0
            while column < width {
                guard isDark(row, column) else {
                    column += 1
                    continue
                }
                let start = column
                while column < width, isDark(row, column) { column += 1 }
                path += "M\(start) \(row)h\(column - start)v1H\(start)z"
            }
        }
        return path
    }
}
