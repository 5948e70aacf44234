/** The part of pdfmake that is used. Its own types (@types/pdfmake) would add those of browsers. */
declare module "pdfmake" {
  export interface TextStyle {
    style?: string;
    font?: string;
    fontSize?: number;
    bold?: boolean;
    color?: string;
    decoration?: "lineThrough";
    alignment?: "right";
    characterSpacing?: number;
    margin?: number[];
  }

  export interface StyledText extends TextStyle {
    text: string;
    headlineLevel?: number;
  }

  export type Content =
    | string
    | StyledText
    | {
        columns: Content[];
        columnGap?: number;
        margin?: number[];
        fontSize?: number;
        color?: string;
      }
    | { stack: Content[]; unbreakable?: boolean; margin?: number[]; fontSize?: number; color?: string }
    | { svg: string; margin?: number[] }
    | { table: Table; layout?: "noBorders" | TableLayout };

  export interface Table {
    headerRows?: number;
    keepWithHeaderRows?: number;
    dontBreakRows?: boolean;
    widths: (number | "*")[];
    body: Content[][];
  }

  export interface TableLayout {
    hLineWidth: (row: number) => number;
    vLineWidth: () => number;
    hLineColor: () => string;
    paddingTop: () => number;
    paddingBottom: () => number;
  }

  export interface Style {
    font?: string;
    fontSize?: number;
    lineHeight?: number;
    bold?: boolean;
    color?: string;
    margin?: [left: number, top: number, right: number, bottom: number];
  }

  export interface DocumentDefinition {
    pageSize: "A4";
    pageMargins: number[];
    language: string;
    info: Record<string, string>;
    defaultStyle: Style;
    styles: Record<string, Style>;
    footer: (currentPage: number, pageCount: number) => Content;
    pageBreakBefore: (node: { headlineLevel?: number; startPosition: { verticalRatio: number } }) => boolean;
    content: Content[];
  }

  const pdfmake: {
    /** Files in which fonts are looked up by name. */
    virtualfs: { writeFileSync: (name: string, content: Buffer) => void };
    setFonts: (fonts: Record<string, Record<string, string>>) => void;
    setUrlAccessPolicy: (isAllowed: (url: string) => boolean) => void;
    setLocalAccessPolicy: (isAllowed: (path: string) => boolean) => void;
    createPdf: (document: DocumentDefinition) => { getBuffer: () => Promise<Buffer> };
  };
  export default pdfmake;
}
