import type { Product } from '../commerce/product/product.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import { dayMs, hourMs } from './calendar.ts'
import { Random } from './random.ts'
import { commonFields, recordOwners, type GeneratorInput } from './organization.ts'
import type { CatalogEntry } from './vocabulary/catalogs.ts'

const cents = (amount: number): number => Math.round(amount * 100) / 100

export function demoProducts(input: GeneratorInput): GeneratedRecord<Product>[] {
  const random = new Random(`products ${input.profile.code}`)
  const authors = recordOwners(input).filter(({ role }) => role !== 'MEMBER')
  return input.profile.catalog.map((entry, index) => {
    const author = random.pick(authors)
    const createdMs = input.foundedMs + random.whole(1, 30) * dayMs + 9 * hourMs + index * 1000
    return {
      values: {
        ...commonFields(input, random, createdMs, author.id),
        ...priced(entry, input, random),
        ownerId: author.id,
      },
      actorId: author.id,
      eventId: random.id(createdMs),
    }
  })
}

function priced(entry: CatalogEntry, { profile }: GeneratorInput, random: Random) {
  const { listPrice, category } = entry
  const margin = category === 'HARDWARE' ? 0.62 : category === 'SOFTWARE' ? 0.18 : 0.45
  return {
    ...entry,
    features: [...entry.features],
    currency: profile.currency,
    unitPrice: random.chance(0.4) ? cents(listPrice * 0.92) : listPrice,
    costPrice: cents(listPrice * (margin + random.next() * 0.08)),
    isActive: random.chance(0.92),
    externalId: `ERP-${entry.sku}`,
    tags: random.chance(0.2) ? ['bestseller'] : [],
  }
}
