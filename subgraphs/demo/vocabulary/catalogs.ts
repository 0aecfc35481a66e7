import { items, table } from './text.ts'

export interface CatalogEntry {
  readonly sku: string
  readonly name: string
  readonly type: 'PRODUCT' | 'SERVICE' | 'SUBSCRIPTION' | 'LICENSE' | 'BUNDLE'
  readonly category: 'OTHER' | 'TRAINING' | 'SOFTWARE' | 'HARDWARE' | 'CONSULTING' | 'SUPPORT'
  readonly billingFrequency: 'ONE_TIME' | 'MONTHLY' | 'QUARTERLY' | 'ANNUAL' | 'USAGE_BASED'
  readonly listPrice: number
  readonly description: string
  readonly features: readonly string[]
}

type Kind = Pick<CatalogEntry, 'type' | 'category' | 'billingFrequency'>

/** Rows of `sku | name | price | description | features`. */
const entries = (kind: Kind, text: string): CatalogEntry[] =>
  table(text).map(([sku, name, price, description, features]) => ({
    ...kind,
    sku: sku!,
    name: name!,
    listPrice: Number(price),
    description: description!,
    features: items(features!),
  }))

const module = { type: 'SUBSCRIPTION', category: 'SOFTWARE', billingFrequency: 'MONTHLY' } as const
const device = { type: 'PRODUCT', category: 'HARDWARE', billingFrequency: 'ONE_TIME' } as const
const course = { type: 'SERVICE', category: 'TRAINING', billingFrequency: 'ONE_TIME' } as const
const project = { type: 'SERVICE', category: 'CONSULTING', billingFrequency: 'ONE_TIME' } as const
const plan = { type: 'SUBSCRIPTION', category: 'SUPPORT', billingFrequency: 'ANNUAL' } as const
const metered = { type: 'SUBSCRIPTION', category: 'SOFTWARE', billingFrequency: 'USAGE_BASED' } as const
const license = { type: 'LICENSE', category: 'SOFTWARE', billingFrequency: 'ANNUAL' } as const
const bundle = { type: 'BUNDLE', category: 'OTHER', billingFrequency: 'QUARTERLY' } as const

const modules = entries(
  module,
  `
  WMS | Warehouse Management | 1250 | Receiving, put-away, picking and packing for one site. | Wave picking, Batch and serial numbers, Mobile app
  DOCK | Dock Scheduling | 490 | Slot booking for carriers, with a yard view for the gate. | Carrier portal, Late arrival alerts
  YARD | Yard Control | 420 | Where every trailer stands and what is in it. | Gate check-in, Trailer map
  LABEL | Label Studio | 180 | Designs and prints labels for carriers and customers. | 240 carrier templates, Printer groups
  ROUTE | Route Planner | 690 | Plans delivery rounds with time windows. | Driver app, Traffic forecast
  TRACK | Shipment Tracking | 310 | One page for the customer, whoever the carrier is. | Branded page, Delay messages
  RETURN | Returns Desk | 260 | Return labels, inspection and refunds in one queue. | Reason codes, Photo proof
  STOCK | Stock Forecast | 540 | Reorder points from sales history and season. | Season curves, Supplier lead times
  CUSTOMS | Customs Papers | 720 | Export and import declarations from the shipment data. | Tariff lookup, Archive for ten years
  BILLING | Freight Billing | 380 | Rates carriers and checks their invoices. | Rate cards, Dispute list
  LABOR | Shift Planner | 290 | Plans people against the expected volume. | Skills, Absence calendar
  SLOT | Slotting Advisor | 330 | Suggests where fast movers should lie. | Weekly proposal, Walking time estimate
  PACK | Pack Station | 270 | Guides packers and chooses the carton. | Carton advice, Weight check
  INSIGHT | Warehouse Insight | 350 | Dashboards on throughput, accuracy and cost. | Hourly refresh, Export to spreadsheets
`,
)

/** The same module for several sites. */
const enterprise = modules.map((entry) => ({
  ...entry,
  sku: `${entry.sku}-ENT`,
  name: `${entry.name} Enterprise`,
  listPrice: Math.round(entry.listPrice * 2.4),
  description: `${entry.description} For any number of sites, with single sign-on.`,
  features: [...entry.features, 'Unlimited sites', 'Single sign-on'],
}))

export const freightCatalog: readonly CatalogEntry[] = [
  ...modules,
  ...enterprise,
  ...entries(
    device,
    `
  SCAN-H1 | Handheld Scanner H1 | 640 | Rugged scanner with a pistol grip. | Drop tested to 1.8 m, Hot-swap battery
  SCAN-H2 | Handheld Scanner H2 Long Range | 890 | Reads pallet labels from 15 m. | Long range optics, Cold store ready
  SCAN-R1 | Ring Scanner R1 | 410 | Worn on the finger; both hands stay free. | Left and right hand, 10 hour battery
  SCAN-F1 | Fixed Scanner F1 | 1150 | For conveyors and gates. | 60 reads a second, Power over Ethernet
  TERM-V1 | Vehicle Terminal V1 | 1780 | Forklift terminal with a 10 inch screen. | Heated screen, Vibration proof mount
  TERM-V2 | Vehicle Terminal V2 Freezer | 2260 | Forklift terminal down to minus 30 degrees. | Defrost cycle, Sealed keyboard
  PRINT-L4 | Label Printer L4 | 720 | Four inch labels at 200 mm per second. | Peeler, Network and USB
  PRINT-L6 | Label Printer L6 | 980 | Six inch pallet labels. | Cutter, Ribbon saver
  PRINT-M1 | Mobile Printer M1 | 530 | Belt printer for shelf labels. | Bluetooth, 500 labels a charge
  GATE-R4 | RFID Gate R4 | 4350 | Reads every tag of a pallet that passes. | Four antennas, Direction sensing
  TAG-PAL | Pallet Tag, box of 1000 | 390 | Passive tags in a rigid case. | Reusable, Washable
  TEMP-L1 | Temperature Logger L1 | 58 | One trip of a chilled pallet. | PDF report, 90 days
  TEMP-G1 | Temperature Gateway G1 | 310 | Collects loggers over radio. | 300 m range, Battery backup
  CAM-D1 | Dock Camera D1 | 460 | Photographs loads at the door. | Night vision, Plate reading
  DIM-S1 | Dimensioner S1 | 5900 | Measures and weighs parcels in one second. | Certified for trade, Cubic weight
  SCALE-P1 | Pallet Scale P1 | 2150 | Floor scale up to 3 tonnes. | Ramp included, Verified
  CRADLE-5 | Five Slot Cradle | 210 | Charges five scanners. | Spare battery bays, Wall mount
  DOOR-S2 | Dock Door Sensor S2 | 240 | Tells whether a door is open and a truck is there. | Magnetic mount, Five year battery
  HEAD-V1 | Voice Headset V1 | 290 | Picking by voice in noise. | Noise cancelling, Cold store ready
  TABLET-8 | Shift Tablet 8 inch | 560 | For supervisors on the floor. | Glove mode, Hand strap
  KIOSK-G1 | Gate Kiosk G1 | 3400 | Drivers check in by themselves. | Nine languages, Weatherproof
  LIGHT-P8 | Pick Light Kit P8 | 1640 | Eight lights for a shelf bay. | Wireless, Two year battery
`,
  ),
  ...entries(
    course,
    `
  TRN-START | Getting Started Workshop | 1400 | One day on site for the first shift. | Up to 12 people, Hands-on
  TRN-ADMIN | Administrator Course | 1900 | Two days on set-up, users and rights. | Certificate, Sandbox
  TRN-KEY | Key User Course | 1250 | One day for those whom colleagues ask. | Train the trainer, Exercise book
  TRN-LABEL | Label Design Course | 620 | Half a day with Label Studio. | Own templates, Online
  TRN-API | Integration Developer Course | 2100 | Two days on the API, events and webhooks. | Code samples, Online
  TRN-COUNT | Cycle Counting Course | 540 | Half a day on counting without stopping work. | Exercises, Online
  TRN-REFRESH | Yearly Refresher | 390 | Two hours on what is new. | Online, Recording
  TRN-SAFE | Forklift Terminal Safety | 480 | Two hours for drivers. | On site, Any shift
`,
  ),
  ...entries(
    project,
    `
  PS-SITE | Site Rollout | 18500 | Opens one warehouse on the platform in eight weeks. | Project lead, Go-live support
  PS-ERP | ERP Integration | 12400 | Connects orders, stock and invoices with the ERP. | Mapping, Test plan
  PS-MIGR | Data Migration | 7800 | Moves items, locations and open orders. | Dry run, Reconciliation
  PS-LAYOUT | Warehouse Layout Study | 9600 | Where what should lie, from a year of orders. | Heat map, Simulation
  PS-AUDIT | Process Audit | 4200 | Three days on the floor, one report. | Benchmarks, Quick wins
  PS-PEAK | Peak Season Check | 2600 | A day before the season: load, labels, spare devices. | Checklist, Stand-by engineer
  PS-RADIO | Radio Survey | 1900 | Measures the network in every aisle. | Signal map, Access point plan
  PS-CARRIER | Carrier Onboarding | 1100 | Adds one carrier with labels and tracking. | Test labels, Rate card
`,
  ),
  ...entries(
    plan,
    `
  SUP-BASIC | Basic Support | 2400 | Working hours, answer within a day. | E-mail, Knowledge base
  SUP-PLUS | Plus Support | 6800 | Working hours, answer within four hours. | E-mail and phone, Quarterly review
  SUP-247 | Round the Clock Support | 19500 | Any hour, urgent cases within the hour. | Named engineer, Phone
  SUP-PEAK | Peak Season Support | 4100 | Weekends and nights from October to January. | Phone, Stand-by engineer
  SUP-SPARE | Spare Device Pool | 3200 | A replacement device the next working day. | Any model, Return label included
`,
  ),
  ...entries(
    metered,
    `
  USE-LABEL | Printed Labels | 0.02 | Each label beyond the included volume. | Billed monthly, Volume steps
  USE-TRACK | Tracked Shipments | 0.04 | Each shipment followed to the door. | Billed monthly, Any carrier
  USE-CUST | Customs Declarations | 3.5 | Each declaration sent. | Billed monthly, Archive included
`,
  ),
  ...entries(
    license,
    `
  LIC-OFFLINE | Offline Mode | 3900 | Keeps a site working without a line. | 72 hours, Automatic merge
  LIC-SANDBOX | Sandbox | 2900 | A second environment with a copy of the data. | Refresh on demand, Masked contacts
  LIC-ARCHIVE | Long Archive | 1700 | Keeps movements for fifteen years. | Search, Export for auditors
`,
  ),
  ...entries(
    bundle,
    `
  BND-START | Small Warehouse Bundle | 4200 | One site, five scanners and the basics. | Warehouse Management, Label Studio, 5 scanners
  BND-RETURN | Returns Bundle | 3100 | A returns bench ready to work. | Returns Desk, Scanner, Label printer
  BND-COLD | Cold Chain Bundle | 6900 | For chilled and frozen goods. | Loggers, Freezer terminals, Alerts
`,
  ),
].toSorted((one, other) => (one.sku < other.sku ? -1 : 1))

export const laboratoryCatalog: readonly CatalogEntry[] = [
  ...entries(
    device,
    `
  BAL-220 | Analytical Balance 220 g | 3450 | Reads to a tenth of a milligram. | Internal calibration, Draft shield
  BAL-3200 | Precision Balance 3.2 kg | 1890 | For weighing in and dispensing. | Splash proof, Statistics
  PH-20 | Bench pH Meter | 780 | Two channels with temperature compensation. | Five point calibration, Data log
  CND-10 | Conductivity Meter | 690 | For water and buffer solutions. | Four pole cell, USB
  SPEC-V1 | Spectrophotometer V1 | 7400 | Visible light, 325 to 1000 nm. | Ten cuvettes, Kinetics
  CENT-16 | Micro Centrifuge 16 | 2600 | Up to 16 000 g for 24 tubes. | Quiet, Soft ramp
  INC-55 | Incubator 55 l | 2950 | Natural convection up to 80 degrees. | Glass door, Alarm relay
  STIR-4 | Four Place Stirrer | 540 | Four magnetic positions. | Independent speed, Flat
`,
  ),
  ...entries(
    module,
    `
  LAB-LOG | Lab Logbook | 140 | Readings of every instrument in one signed log. | Audit trail, Electronic signature
  LAB-CAL | Calibration Planner | 95 | Which instrument is due, and its certificates. | Reminders, Certificate store
  LAB-STOCK | Reagent Stock | 110 | Batches, expiry dates and safety sheets. | Barcode app, Expiry alerts
`,
  ),
  ...entries(
    plan,
    `
  CARE-1 | Instrument Care | 420 | One preventive visit a year. | Spare parts discount, Report
  CARE-2 | Instrument Care Plus | 980 | Two visits and a loan instrument. | Loan within two days, Parts included
`,
  ),
  ...entries(
    project,
    `
  QUAL-IQ | Installation Qualification | 1150 | Documents for regulated laboratories. | IQ and OQ, On site
  CAL-ISO | Accredited Calibration | 260 | Certificate for one balance. | Traceable, On site
  MOVE-LAB | Laboratory Move | 3900 | Packs, moves and requalifies instruments. | Insurance, Weekend
`,
  ),
  ...entries(
    course,
    `
  TRN-WEIGH | Good Weighing Practice | 690 | Half a day at the balance. | Certificate, Up to 8 people
  TRN-PH | pH in Practice | 590 | Half a day on electrodes and buffers. | Own samples, Up to 8 people
`,
  ),
  ...entries(
    license,
    `
  LIC-SIGN | Electronic Signature | 1300 | Signed readings for regulated work. | Two factor, Audit trail
`,
  ),
  ...entries(
    bundle,
    `
  BND-QC | Quality Control Bundle | 1850 | Balance, pH meter and logbook for a new bench. | Installation, First calibration
`,
  ),
].toSorted((one, other) => (one.sku < other.sku ? -1 : 1))
