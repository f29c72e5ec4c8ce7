// canvas
