/** A file as it is retrieved: properties in the order of the schema, two spaces, a line feed at the end. */
export const fileText = (content: object): string => `${JSON.stringify(content, null, 2)}\n`
