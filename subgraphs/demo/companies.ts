import { Random } from './random.ts'
import { brandEnds, brandStarts, divisions, industries, type Industry } from './vocabulary/industries.ts'
import { countries, type City, type Country } from './vocabulary/places.ts'

/** An invented company, independent of the organization. */
export interface Company {
  readonly name: string
  /** The name without trade, division and legal form. */
  readonly brand: string
  readonly domain: string
  readonly industry: Industry
  readonly country: Country
  readonly city: City
  readonly street: string
  readonly postalCode: string
  readonly phone: string
}

const domainOf = (name: string): string =>
  `${name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')}.example`

/** The name of a country inside a sentence: `the United States`. */
export const nameInSentence = ({ name }: Country): string => (name.startsWith('United') ? `the ${name}` : name)

const shareAtHome = 0.55

/** Invents companies that all have different names. */
export class Companies {
  readonly #random: Random
  readonly #taken = new Set<string>()

  /** `home` is the country of the seller, where most of its customers are. */
  constructor(
    seed: string,
    private readonly home: string,
  ) {
    this.#random = new Random(seed)
  }

  invent(): Company {
    const random = this.#random
    const country = random.chance(shareAtHome) ? this.#home() : random.pick(countries)
    const industry = random.pick(industries)
    return this.#unlessTaken(() => {
      const brand = random.chance(0.5)
        ? random.pick(country.surnames)
        : random.pick(brandStarts) + random.pick(brandEnds)
      return this.#companyIn(brand, `${brand} ${random.pick(industry.trades)}`, industry, country)
    })
  }

  /** A subsidiary: it has the brand and industry of its parent and is mostly in the same country. */
  subsidiaryOf({ brand, industry, country }: Company): Company {
    const random = this.#random
    return this.#unlessTaken(() => {
      const home = random.chance(0.6) ? country : random.pick(countries)
      const part = home === country ? random.pick(divisions) : home.short
      return this.#companyIn(brand, `${brand} ${part}`, industry, home)
    })
  }

  #home(): Country {
    return countries.find(({ name }) => name === this.home)!
  }

  digits(pattern: string): string {
    return this.#random.digits(pattern)
  }

  #unlessTaken(attempt: () => Company): Company {
    for (;;) {
      const company = attempt()
      if (this.#taken.has(company.domain)) continue
      this.#taken.add(company.domain)
      return company
    }
  }

  #companyIn(brand: string, name: string, industry: Industry, country: Country): Company {
    const random = this.#random
    const city = random.pick(country.cities)
    return {
      name: `${name} ${random.pick(country.legalForms)}`,
      brand,
      domain: domainOf(name),
      industry,
      country,
      city,
      street: random.pick(country.streets).replace('%', String(random.whole(1, 89))),
      postalCode: random.digits(city.postalCode),
      phone: random.digits(country.phone),
    }
  }
}
