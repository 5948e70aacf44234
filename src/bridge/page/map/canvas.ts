/** A canvas of the map's pictures, with equal sides in pixels, kept in memory: reading one back from the graphics card takes longer than drawing it. */
export function drawingOf(size: number): CanvasRenderingContext2D {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("the browser draws no canvas");
  return context;
}
