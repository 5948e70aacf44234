import "./production";
import { keepFreedMemory } from "./kernel/process/allocator";

// A start anew is cheapest before the program itself is loaded.
keepFreedMemory();
await import("./cli");
