const objectPhrases: Readonly<Record<string, readonly string[]>> = {
  account: ['account', 'company', 'organisation'],
  contact: ['contact', 'person', 'people'],
  lead: ['lead'],
  opportunity: ['deal', 'opportunity', 'opp'],
  quote: ['quote', 'quotation', 'offer'],
  order: ['order'],
  invoice: ['invoice', 'bill'],
  task: ['task', 'todo'],
  activity: ['activity', 'interaction'],
  case: ['case', 'ticket'],
  product: ['product'],
}

export const plural = (word: string): string =>
  word.endsWith('y') && !/[aeiou]y$/.test(word)
    ? `${word.slice(0, -1)}ies`
    : /(?:s|x|ch|sh)$/.test(word)
      ? `${word}es`
      : `${word}s`

export const objectWords: ReadonlyMap<string, string> = new Map(
  Object.entries(objectPhrases).flatMap(([object, phrases]) =>
    phrases.flatMap((phrase) => [
      [phrase, object],
      [plural(phrase), object],
    ]),
  ),
)
export const nounOf = (object: string, count: number): string => {
  const [noun] = objectPhrases[object]!
  return count === 1 ? noun! : plural(noun!)
}

/** Words that stand for the records of a type with one value. */
const kinds: Readonly<Record<string, readonly [object: string, field: string, value: string]>> = {
  customer: ['account', 'type', 'CUSTOMER'],
  client: ['account', 'type', 'CUSTOMER'],
  prospect: ['account', 'type', 'PROSPECT'],
  partner: ['account', 'type', 'PARTNER'],
  reseller: ['account', 'type', 'RESELLER'],
  competitor: ['account', 'type', 'COMPETITOR'],
  champion: ['contact', 'buyingRole', 'CHAMPION'],
  'decision maker': ['contact', 'buyingRole', 'DECISION_MAKER'],
  influencer: ['contact', 'buyingRole', 'INFLUENCER'],
  renewal: ['opportunity', 'type', 'RENEWAL'],
  expansion: ['opportunity', 'type', 'EXPANSION'],
  meeting: ['activity', 'type', 'MEETING'],
  call: ['activity', 'type', 'CALL'],
  'phone call': ['activity', 'type', 'CALL'],
  email: ['activity', 'type', 'EMAIL'],
  note: ['activity', 'type', 'NOTE'],
  subscription: ['product', 'type', 'SUBSCRIPTION'],
  license: ['product', 'type', 'LICENSE'],
  bundle: ['product', 'type', 'BUNDLE'],
  incident: ['case', 'type', 'INCIDENT'],
}
export const kindWords: ReadonlyMap<string, readonly [string, string, string]> = new Map(
  Object.entries(kinds).flatMap(([word, kind]) => [
    [word, kind],
    [plural(word), kind],
  ]),
)
