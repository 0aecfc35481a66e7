import type { Product } from '../commerce/product/product.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import { dayMs, hourMs } from './calendar.ts'
import { Dice } from './dice.ts'
import { commonFields, recordOwners, type Setting } from './organization.ts'
import type { CatalogEntry } from './vocabulary/catalogs.ts'

const cents = (amount: number): number => Math.round(amount * 100) / 100

export function demoProducts(setting: Setting): GeneratedRecord<Product>[] {
  const dice = new Dice(`products ${setting.profile.code}`)
  const authors = recordOwners(setting).filter(({ role }) => role !== 'MEMBER')
  return setting.profile.catalog.map((entry, index) => {
    const author = dice.pick(authors)
    const createdMs = setting.foundedMs + dice.whole(1, 30) * dayMs + 9 * hourMs + index * 1000
    return {
      values: {
        ...commonFields(setting, dice, createdMs, author.id),
        ...priced(entry, setting, dice),
        ownerId: author.id,
      },
      actorId: author.id,
      eventId: dice.id(createdMs),
    }
  })
}

function priced(entry: CatalogEntry, { profile }: Setting, dice: Dice) {
  const { listPrice, category } = entry
  const margin = category === 'HARDWARE' ? 0.62 : category === 'SOFTWARE' ? 0.18 : 0.45
  return {
    ...entry,
    features: [...entry.features],
    currency: profile.currency,
    unitPrice: dice.chance(0.4) ? cents(listPrice * 0.92) : listPrice,
    costPrice: cents(listPrice * (margin + dice.next() * 0.08)),
    isActive: dice.chance(0.92),
    externalId: `ERP-${entry.sku}`,
    tags: dice.chance(0.2) ? ['bestseller'] : [],
  }
}
