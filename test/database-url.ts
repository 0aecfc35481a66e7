/** The URL of another database on the same server. */
export const databaseUrl = (url: string, name: string): string => url.replace(/\/[^/?]+(\?.*)?$/, `/${name}$1`)
