/** What a value must be, for each pattern of the contract. A test requires a text for every one of them. */
const texts = new Map<string, string>([
  [String.raw`\S`, 'must not be blank'],
  [String.raw`^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$`, 'must be a number'],
  ['^customFields\\.[A-Za-z_][A-Za-z0-9_]{0,63}$', 'must be customFields. and the API name of a custom field'],
  [
    '^customFields\\.[A-Za-z_][A-Za-z0-9_]{0,63}(:(day|week|month|quarter|year|fiscalQuarter|fiscalYear))?$',
    'must be customFields. and the API name of a custom field, for a time with the length of its periods such as :month',
  ],
  ['^[A-Z]{3}$', 'must be a currency code of three capital letters such as EUR'],
  ['^[0-9]{8}$', 'must be a code of 8 digits'],
  [String.raw`^\d{4}-\d{2}-\d{2}$`, 'must be a date such as 2026-11-21'],
  [String.raw`^([01]\d|2[0-3]):[0-5]\d$`, 'must be a time of day such as 09:30'],
  [
    String.raw`^\d{4}(-(0[1-9]|1[0-2]|Q[1-4]))?$`,
    'must be a month such as 2026-03, a fiscal quarter such as 2026-Q1 or a fiscal year such as 2026',
  ],
  ['^https://', 'must start with https://'],
  ['^#[0-9a-fA-F]{6}$', 'must be a colour such as #1f4e79'],
])

/** The text of a pattern; null if it has none. */
export const patternText = (pattern: string): string | null => texts.get(pattern) ?? null

export const describedPatterns: readonly string[] = [...texts.keys()]
