/** An address that only its owner recognises: the mailbox it is sent to may be somebody else's by now. */
export const masked = (address: string): string => address.replace(/^(.).*(?=@)/, "$1…");
