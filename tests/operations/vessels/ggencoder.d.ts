/**
 * The parts of ggencoder, a third party's AIS decoder (Apache-2.0), that the tests use; it comes without
 * types.
 */
declare module "ggencoder" {
  export class AisDecode {
    /** Decodes a sentence; `session` keeps the parts of a message that came before. */
    constructor(sentence: string, session?: object);
    valid: boolean;
    aistype?: number;
    immsi: number;
    lat?: number;
    lon?: number;
    /** Knots. */
    sog: number;
    cog: number;
    hdg: number;
    navstatus?: number;
    shipname?: string;
    cargo?: number;
    length?: number;
    width?: number;
  }
}
