/** Days of documents in the time zone of the organization: `1 November 2026`. */
export function documentDay(timezone: string | null): (time: string) => string {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: timezone ?? 'UTC' })
  return (time) => format.format(new Date(time))
}
