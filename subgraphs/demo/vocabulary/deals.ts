import { lines, table } from './text.ts'

export type DealType = 'NEW_BUSINESS' | 'EXPANSION' | 'RENEWAL'

/** Names and descriptions of deals, by type. `{slots}` are filled for each deal. */
export type DealTexts = Readonly<Record<DealType, readonly { readonly name: string; readonly description: string }[]>>

/** Rows of `name | description`. */
const texts = (text: string) => table(text).map(([name, description]) => ({ name: name!, description: description! }))

export const freightDeals: DealTexts = {
  NEW_BUSINESS: texts(`
    {product} for {city} | They run the site in {city} on paper and spreadsheets and want to go live before the next peak. {pain} is what the management asks about.
    {product} pilot | A pilot in {city} with one shift, then a decision about the other sites. Success means fewer wrong deliveries.
    First site on {product} | Replaces a program that its supplier no longer maintains. The contract with the present supplier ends this year.
    {product} and devices | New warehouse in {city}: they need the program, scanners and a network that reaches every aisle.
    {product} instead of {competitor} | They are unhappy with {competitor}: slow support and a price increase of {percent} percent.
  `),
  EXPANSION: texts(`
    {product} in {city} | The first site works well, and the operations manager in {city} wants the same.
    Second shift with {product} | A second shift starts in autumn; they need more seats, more devices and a course for the supervisors.
    {product} add-on | Came up in the quarterly review: {pain}. They know the module from a reference visit.
    More devices for {city} | Growth of {percent} percent in parcels; the present scanners are shared between two shifts.
    {product} for the returns team | Returns are still handled in spreadsheets. The team wants one queue with reasons and photos.
  `),
  RENEWAL: texts(`
    Renewal {year} | The contract ends this year. Usage is stable; they ask for a longer term and a fixed price.
    Renewal {year} with {product} | Renewal together with one more module. The buyer compares with {competitor} as every year.
    Three-year renewal | They want three years at a fixed price; the finance department must approve.
  `),
}

export const laboratoryDeals: DealTexts = {
  NEW_BUSINESS: texts(`
    {product} for the new laboratory | A laboratory opens in {city}; the instruments must be qualified before the audit in spring.
    {product} comparison | They test two suppliers side by side with their own samples. {competitor} is the other one.
    First {product} | Replaces an instrument that no longer gets spare parts. Calibration certificates are a must.
    {product} with qualification | Regulated work: installation qualification and electronic signatures are part of the order.
  `),
  EXPANSION: texts(`
    Second {product} | The first instrument is booked all day; the laboratory manager wants a second one.
    {product} for {city} | The sister laboratory in {city} wants the same bench as the main site.
    {product} add-on | Came up at the yearly calibration visit: {pain}.
  `),
  RENEWAL: texts(`
    Care contract {year} | The care contract ends this year. They want the loan instrument included.
    Calibration contract {year} | Yearly calibration of all balances, with one date for the whole laboratory.
  `),
}

/** What is done next in each open stage. */
export const nextSteps: Readonly<Record<string, readonly string[]>> = {
  PROSPECTING: lines(`
    Find out who decides about the budget
    Call {person} about the present supplier
    Send the reference of a similar site
    Agree on a first meeting with {person}
  `),
  QUALIFICATION: lines(`
    Clarify budget and date with {person}
    Meeting with {person} and the IT department
    Send the questionnaire about volumes
    Confirm that the decision falls this year
  `),
  NEEDS_ANALYSIS: lines(`
    Site visit in {city}
    Workshop on the process with {person}
    Demonstrate {product} with their own data
    Agree on the list of requirements
  `),
  PROPOSAL: lines(`
    Go through the offer with {person}
    Answer the questions of the purchasing department
    Revise the offer: fewer devices, longer term
    Present the offer to the management
  `),
  NEGOTIATION: lines(`
    Agree on payment terms with {person}
    Wait for the signature of the management
    Legal review of the contract
    Confirm the start date with the project team
  `),
}

/** Why a deal was lost, by reason. */
export const lossNotes: Readonly<Record<string, readonly string[]>> = {
  PRICE: lines(`
    About {percent} percent over their budget, even after the discount.
    They chose a cheaper offer without on-site support.
  `),
  COMPETITOR: lines(`
    {competitor} was chosen: their parent company already works with it.
    {competitor} offered the first year for free.
  `),
  NO_BUDGET: lines(`
    The budget was frozen in {month}; they will come back next year.
    The investment went into the building instead.
  `),
  NO_DECISION: lines(`
    {person} left, and nobody took the project over.
    They keep the present solution for another year.
  `),
  TIMING: lines(`
    Too close to the peak season; ask again in {month}.
    They first finish the move of the site.
  `),
  PRODUCT_FIT: lines(`
    They need an interface to a program that we do not support.
    The approval for their process is missing.
  `),
  OTHER: lines(`
    The company was taken over, and all projects were stopped.
  `),
}

/** Why a client counts a deal otherwise than its stage says. */
export const forecastReasons = lines(`
  {person} has promised the signature for this quarter.
  Verbal agreement, only the order number is missing.
  Their management meets only next quarter.
  Budget approved, but the IT department has not answered yet.
`)

export const freightCompetitors = ['Palletron', 'Cargowise Nord', 'Logivance', 'StoreMatic', 'Quaylink'] as const
export const laboratoryCompetitors = ['Mettora', 'Labrivance', 'Analytix Werke', 'Sartec', 'Benchline'] as const
