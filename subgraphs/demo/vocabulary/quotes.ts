import { lines } from './text.ts'

/** Terms that the customer sees. */
export const quoteTerms = lines(`
  Prices include the introduction and support until the go-live.
  Devices are delivered within four weeks of the order. Subscriptions run for one year and are renewed for another year.
  Travel costs are included. The price of the second year does not rise by more than three percent.
`)

/** Notes that only the organization sees. */
export const quoteNotes = lines(`
  The buyer expects a discount for three years.
  Approved by phone; the order number follows.
  Delivery of the devices in two parts.
  Same prices as for the sister company.
`)

export const rejectionReasons = lines(`
  We have chosen another supplier.
  The price is above our budget for this year.
  Our management has stopped the project.
  The delivery time is too long for us.
`)

export const cancelReasons = lines(`
  The customer ordered twice by mistake.
  The building is not ready this year.
`)

export const returnReasons = lines(`
  The devices do not fit the mounts of the trucks.
  The site was closed before the start.
`)
