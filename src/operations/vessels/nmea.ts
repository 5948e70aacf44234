import { LINK_TIMING, toldInLog } from "../../kernel/feeds/connection";
import { listenToLines } from "../../kernel/feeds/tcp-lines";
import { decodeMessage } from "./ais";
import { MessageReader } from "./sentences";
import type { Hear, Source } from "./source";

/** A receiver that serves NMEA lines over TCP, such as `rtl_ais -T`: everything within its range is near. */

/** Keeps listening to the receiver at `tcp://host:port`. */
export function startNmea(url: string, hear: Hear, timing = LINK_TIMING): Source {
  let messages = new MessageReader();
  const take = (line: string): boolean => {
    const found = messages.take(line);
    for (const { payload, fillBits } of found) {
      const report = decodeMessage(payload, fillBits);
      if (report) hear(report);
    }
    return found.length > 0;
  };
  const opened = () => {
    messages = new MessageReader();
  };
  const listener = { take, opened, tell: toldInLog("vessel positions", "nmea") };
  const { isOpen, stop } = listenToLines(url, listener, timing);
  return { look() {}, isOpen, stop };
}
