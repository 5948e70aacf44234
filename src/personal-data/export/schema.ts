import { file } from "../../kernel/http/answers";

export const Archive = file("application/zip", "A ZIP archive: `data.json`, `report.pdf` and `README.txt`");
