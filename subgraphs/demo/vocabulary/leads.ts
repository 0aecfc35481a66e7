import { lines } from './text.ts'

/** What leads ask for. `{slots}` are filled for each lead. */
export const requests = lines(`
  Asked for prices of {product} for one site in {city}.
  Visited our stand at the fair and wants a demonstration of {product}.
  Looks for a solution because of this: {pain}.
  Downloaded the guide about {product} and filled in the form.
  Was recommended by a customer; wants a reference of a similar size.
  Registered for the webinar and asked two questions about interfaces.
  Compares three suppliers; the decision is planned for next quarter.
`)

export const unqualifiedReasons = lines(`
  The company has been sold
  Too small: no own site
  No budget for two years
  Has just signed with another supplier
  Only wanted the guide
  Not reachable after five attempts
  Supplier who wants to sell something
`)
