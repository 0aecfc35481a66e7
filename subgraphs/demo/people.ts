import type { Company } from './companies.ts'
import type { Random } from './random.ts'
import { namesOf, type Position } from './vocabulary/people.ts'

/** An invented person who works at a company. */
export interface Person {
  readonly salutation: string
  readonly firstName: string
  readonly lastName: string
  readonly email: string
  readonly phone: string
  readonly mobilePhone: string | null
  readonly position: Position
  readonly language: string
  readonly timezone: string | null
}

/** How a letter addresses the person: `Ms Halvorsen`. */
export const formalName = ({ salutation, lastName }: Person): string => `${salutation.replace('.', '')} ${lastName}`

/** The text as a part of an email address: `Göran Åkesson` is `goran.akesson`. */
export const mailboxOf = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z]+/g, '.')

/** Invents people who all have different email addresses. */
export class People {
  readonly #random: Random
  readonly #positions: readonly Position[]
  readonly #taken = new Set<string>()

  constructor(random: Random, positions: readonly Position[]) {
    this.#random = random
    this.#positions = positions
  }

  /** Somebody whose position is at least as senior as those in the first `share` of the positions. */
  inventAt(company: Company, share = 1): Person {
    const random = this.#random
    const { country } = company
    const names = namesOf[country.name]!
    const position = this.#positions[Math.floor(this.#positions.length * share * random.next())]!
    for (;;) {
      const isWoman = random.chance(0.45)
      const firstName = random.pick(isWoman ? names.women : names.men)
      const lastName = random.pick(country.surnames)
      const email = `${mailboxOf(`${firstName} ${lastName}`)}@${company.domain}`
      if (this.#taken.has(email)) continue
      this.#taken.add(email)
      return {
        salutation: random.chance(0.06) ? 'Dr.' : isWoman ? 'Ms.' : 'Mr.',
        firstName,
        lastName,
        email,
        phone: random.digits(country.phone),
        mobilePhone: names.mobile && random.chance(0.6) ? random.digits(names.mobile) : null,
        position,
        language: names.language,
        timezone: names.timezone,
      }
    }
  }
}
