import { items, table } from './text.ts'

export interface Industry {
  readonly name: string
  /** Words for the trade in names of companies of this industry. */
  readonly trades: readonly string[]
  readonly description: string
  readonly painPoints: readonly string[]
}

const rows = table(`
  Food and Beverage | Foods, Bakeries, Dairy, Provisions, Brewing | Produces chilled and packaged goods for grocers and restaurants in {country}. | Best-before dates tracked in spreadsheets, Waste from over-ordering, Cold chain gaps at hand-over
  Automotive | Motors, Components, Axles, Bodyworks | Supplies parts to vehicle makers from its plant near {city}. | Line stops from late parts, Sequencing by phone and fax, Returns without a cause code
  Retail | Stores, Outfitters, Homeware, Trading | Runs shops and a web store served from one distribution centre in {city}. | Stock differs between web and shop, Peak season needs temporary staff, Slow returns
  Pharmaceuticals | Pharma, Therapeutics, Biologics, Laboratories | Makes and distributes prescription medicines under GDP rules. | Serialisation reports by hand, Temperature excursions found too late, Audits take weeks
  Logistics | Logistics, Haulage, Forwarding, Cargo | Moves pallets and containers for manufacturers across {region}. | Empty runs, Drivers wait at the gate, Proof of delivery arrives on paper
  Construction | Timber, Building Supply, Concrete, Civils | Delivers building materials to sites around {city}. | Deliveries to the wrong site, No view of yard stock, Credit notes for short loads
  Electronics | Electronics, Circuits, Sensors, Optics | Assembles boards and sensors for industrial customers. | Counterfeit parts, Lot traceability, Long set-up times
  Chemicals | Chemicals, Coatings, Polymers, Resins | Blends coatings and raw materials, hazardous goods included. | Dangerous goods papers typed by hand, Tank levels read once a day, Label templates out of date
  Energy | Energy, Solar, Grid Services, Wind | Builds and maintains installations in {country}. | Spare parts in too many vans, Field staff without stock view, Warranty claims run out
  Maritime | Marine, Shipping, Shipyards, Ferries | Operates vessels and a repair yard in {city}. | Paper checklists on board, Customs papers late, Parts held in port
  Textiles | Textiles, Apparel, Weavers, Footwear | Designs and distributes seasonal collections. | Size and colour mix-ups, Season peaks, Supplier delays without notice
  Agriculture | Farms, Seeds, Orchards, Grain | Grows and packs produce for wholesalers. | Harvest peaks, Traceability to the field, Crates that never come back
  Healthcare | Medical, Diagnostics, Care Supplies, Surgical | Supplies hospitals and clinics in {region}. | Consignment stock uncounted, Urgent orders by phone, Recalls need days
  Machinery | Tooling, Machines, Hydraulics, Robotics | Builds machines and keeps spare parts for thirty years. | Spare parts nobody finds, Slow quotes for parts, Service vans restocked by guess
  Packaging | Packaging, Paper, Cartons, Glassworks | Makes packaging for food and household brands. | Pallet pool losses, Changeovers, Customer forecasts that move weekly
`)

export const industries: readonly Industry[] = rows.map(([name, trades, description, painPoints]) => ({
  name: name!,
  trades: items(trades!),
  description: description!,
  painPoints: items(painPoints!),
}))

/** First and second halves of invented brand names. */
export const brandStarts = items(
  'Bright, Silver, North, Iron, Clear, Stone, Amber, Grand, Red, Fair, Wild, Summer, Still, High, Blue, Copper, East, Oak, Thorn, Swift, Ember, Mill, Raven, Salt',
)
export const brandEnds = items(
  'water, field, gate, ridge, wood, haven, brook, mark, stead, crest, port, well, line, moor, ford, bridge, vale, cliff',
)

/** Names of subsidiaries in the country of the parent. Subsidiaries abroad have the country in their name. */
export const divisions = items(
  'Services, Distribution, Aftermarket, Export, Logistics Centre, Direct, Rentals, Spare Parts, Engineering, Wholesale, Online, Sourcing, Holding',
)

export const technologies = items(
  'SAP S/4HANA, SAP Business One, Microsoft Dynamics 365, Oracle NetSuite, Odoo, Infor M3, Shopify, Magento, Salesforce, HubSpot, Azure, AWS, Google Cloud, Power BI, Snowflake, Kafka, ServiceNow, Jira, Zebra scanners, Descartes customs, EDIFACT, Okta',
)
