/** The Message-IDs in a header: printable ASCII in angle brackets, so that they can be sent in a header again. */
export const messageIdsIn = (text: string): string[] => text.match(/<[!-;=?-~]{1,996}>/g) ?? []
