import { items, table } from './text.ts'

export interface City {
  readonly name: string
  readonly state: string | null
  /** `#` is a digit. */
  readonly postalCode: string
}

export interface Country {
  readonly name: string
  /** The country as a part of a company's name. */
  readonly short: string
  readonly region: 'Nordics' | 'Central Europe' | 'Western Europe' | 'North America' | 'Asia Pacific'
  /** Numbers reserved for fiction; `#` is a digit. */
  readonly phone: string
  readonly legalForms: readonly string[]
  /** `%` is the house number. */
  readonly streets: readonly string[]
  readonly surnames: readonly string[]
  readonly cities: readonly City[]
}

const cities = (text: string): City[] =>
  table(text).map(([name, state, postalCode]) => ({ name: name!, state: state || null, postalCode: postalCode! }))

export const countries: readonly Country[] = [
  {
    name: 'Sweden',
    short: 'Sverige',
    region: 'Nordics',
    phone: '+46 8 465 004 ##',
    legalForms: ['AB'],
    streets: items('Skeppsbron %, Industrigatan %, Hamngatan %, Verkstadsvägen %, Kungsgatan %'),
    surnames: items(
      'Lindqvist, Ekberg, Sandell, Norén, Hallgren, Wester, Åkesson, Brolin, Dahlström, Fridell, Tornberg, Ulvsson',
    ),
    cities: cities(`
      Gothenburg | Västra Götaland | 41# ##
      Malmö | Skåne | 21# ##
      Stockholm | Stockholm | 11# ##
      Norrköping | Östergötland | 60# ##`),
  },
  {
    name: 'Ireland',
    short: 'Ireland',
    region: 'Western Europe',
    phone: '+353 20 913 ####',
    legalForms: ['Ltd', 'DAC'],
    streets: items('% Dock Road, % Mill Lane, % Quay Street, Unit % Eastgate Business Park'),
    surnames: items('Brannigan, Keogh, Mulvaney, Tierney, Cassidy, Roche, Delahunt, Corrigan, Fallon, Geraghty'),
    cities: cities(`
      Cork | Munster | T12 X###
      Galway | Connacht | H91 R###
      Dublin | Leinster | D02 W###
      Waterford | Munster | X91 K###`),
  },
  {
    name: 'Germany',
    short: 'Deutschland',
    region: 'Central Europe',
    phone: '+49 30 23125 ###',
    legalForms: ['GmbH', 'AG', 'KG'],
    streets: items('Hafenstraße %, Industriestraße %, Am Güterbahnhof %, Lindenweg %, Werkstraße %'),
    surnames: items(
      'Brandner, Hollerbach, Weidemann, Kessler, Ruprecht, Steinfurt, Vogtland, Adler, Mertens, Oberbeck, Quandtner, Zeller',
    ),
    cities: cities(`
      Hamburg | Hamburg | 20###
      Leipzig | Sachsen | 04###
      Dortmund | Nordrhein-Westfalen | 44###
      Nuremberg | Bayern | 90###
      Bremen | Bremen | 28###`),
  },
  {
    name: 'France',
    short: 'France',
    region: 'Western Europe',
    phone: '+33 1 99 00 ## ##',
    legalForms: ['SAS', 'SA'],
    streets: items('% rue du Port, % avenue de la Gare, % quai des Chartrons, % rue des Ateliers'),
    surnames: items(
      'Delorme, Garnier-Vidal, Chastain, Montreuil, Bessière, Lacombe, Perrault, Saunier, Valette, Roussin',
    ),
    cities: cities(`
      Lyon | Auvergne-Rhône-Alpes | 690##
      Lille | Hauts-de-France | 590##
      Nantes | Pays de la Loire | 440##
      Marseille | Provence-Alpes-Côte d'Azur | 130##`),
  },
  {
    name: 'United Kingdom',
    short: 'UK',
    region: 'Western Europe',
    phone: '+44 20 7946 0###',
    legalForms: ['Ltd', 'plc'],
    streets: items(
      '% Canal Street, % Station Approach, Unit % Riverside Trading Estate, % Foundry Lane, % Chapel Road',
    ),
    surnames: items(
      'Ashdown, Pemberley, Thackeray, Whitlock, Harcastle, Ormerod, Sedgewick, Trelawny, Wainscott, Bexley, Marchbank, Oakes',
    ),
    cities: cities(`
      Leeds | West Yorkshire | LS1# #AB
      Bristol | Bristol | BS1 #QD
      Felixstowe | Suffolk | IP11 #TR
      Glasgow | Scotland | G2 #HN
      Birmingham | West Midlands | B4 #LT`),
  },
  {
    name: 'United States',
    short: 'US',
    region: 'North America',
    phone: '+1 312 555 01##',
    legalForms: ['Inc.', 'LLC', 'Corp.'],
    streets: items(
      '%00 Commerce Drive, %0 Harbor Boulevard, %1 Industrial Parkway, %20 Maple Avenue, %5 Freight Street',
    ),
    surnames: items(
      'Calloway, Prescott, Hargrove, Delgado, Okafor, Whitaker, Lindgren, Marchetti, Nakamura, Boone, Castellan, Eastman',
    ),
    cities: cities(`
      Chicago | Illinois | 606##
      Savannah | Georgia | 314##
      Columbus | Ohio | 432##
      Portland | Oregon | 972##
      Memphis | Tennessee | 381##
      Houston | Texas | 770##`),
  },
  {
    name: 'Canada',
    short: 'Canada',
    region: 'North America',
    phone: '+1 604 555 01##',
    legalForms: ['Inc.', 'Ltd'],
    streets: items('%0 Front Street, %5 Mainland Avenue, %2 Rail Road, %8 Granville Way'),
    surnames: items('Beauchemin, MacAllan, Tremblay-Ross, Kowalchuk, Sinclair, Desrosiers, Fairweather, Huang'),
    cities: cities(`
      Vancouver | British Columbia | V6B #T#
      Halifax | Nova Scotia | B3J #K#
      Winnipeg | Manitoba | R3C #L#`),
  },
  {
    name: 'Australia',
    short: 'Australia',
    region: 'Asia Pacific',
    phone: '+61 2 5550 ####',
    legalForms: ['Pty Ltd'],
    streets: items('% Wharf Road, % Parramatta Lane, % Foreshore Drive, % Enterprise Circuit'),
    surnames: items('Barraclough, Jennings, Mackellar, Tranter, Winslow, Yarra, Dunmore, Gilchrist'),
    cities: cities(`
      Newcastle | New South Wales | 23##
      Brisbane | Queensland | 40##
      Fremantle | Western Australia | 61##
      Geelong | Victoria | 32##`),
  },
]

/** The tax on sales inside a country, in percent. */
const taxRates: Readonly<Record<string, number>> = {
  Sweden: 25,
  Ireland: 23,
  Germany: 19,
  France: 20,
  'United Kingdom': 20,
  'United States': 6.25,
}

/** The tax on a sale of a seller in `home`: none abroad, where the buyer pays it. */
export const taxRateOf = (home: string, { name }: Country): number => (name === home ? taxRates[home]! : 0)
