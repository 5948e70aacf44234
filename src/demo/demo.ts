export async function demo(_speed?: number): Promise<void> {}
