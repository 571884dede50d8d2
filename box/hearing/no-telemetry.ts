// ONNX Runtime reports its use to its maker (since 1.29, on Linux too) unless this is set before it is loaded: import this
// file first.

process.env["ORT_DISABLE_TELEMETRY"] = "1";
