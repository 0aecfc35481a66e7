const listOf = (text: string): string[] => text.trim().split(/\s*,\s*/)

/** Beginnings and endings of invented company names. Together they give 1,600 different words. */
export const nameStarts = listOf(`
  Hal, Nor, Bel, Tar, Vin, Cor, Mer, Lan, Kes, Ost, Fal, Gri, Del, Ram, Sol, Wex, Bran, Quor, Ald, Est,
  Hem, Jas, Kil, Lud, Mon, Ner, Orb, Pel, Ros, Sten, Tul, Ulm, Var, Wil, Yor, Zan, Ebb, Fen, Gol, Ivo`)
export const nameEnds = listOf(`
  den, vik, ton, berg, mark, ford, wood, field, holm, gate, dale, stead, mere, wick, burg, feld, haven, ridge, brook, stone,
  well, worth, land, port, crest, moor, bury, leigh, combe, thorpe, by, low, shaw, hurst, ley, fell, rick, mond, bach, grove`)

// From frequent to rare; so are all lists below.
export const trades = listOf(`
  Logistics, Software, Foods, Systems, Retail, Energy, Medical, Textiles, Freight, Analytics, Consulting, Machinery, Chemicals,
  Insurance, Packaging, Furniture, Optics, Ceramics, Shipping, Aviation, Robotics, Printing, Glassworks, Seeds, Dairy, Timber,
  Mining, Breweries, Watchmaking, Beekeeping, Bookbinding, Falconry`)
export const legalForms = listOf('GmbH, Ltd, Inc, BV, SA, AG, Oy, KK, Coop')
export const cities = listOf(`
  Hamburg, Rotterdam, Lyon, Turin, Chicago, Leeds, Osaka, Toronto, Porto, Gdansk, Antwerp, Valencia, Graz, Bergen, Tampere,
  Cork, Basel, Brno, Split, Uppsala, Aarhus, Reykjavik`)
export const countries = listOf('DE, NL, US, FR, IT, GB, JP, CA, PT, PL, BE, ES, AT, NO, FI, IS')
export const industries = listOf(`
  Manufacturing, Retail, Software, Healthcare, Logistics, Finance, Energy, Education, Hospitality, Construction, Media,
  Agriculture, Telecommunications, Public sector, Space, Philately`)
export const tags = listOf(`
  inbound, newsletter, enterprise, renewal, fair, partner-lead, priority, pilot, at-risk, reference, beta, upsell, dormant,
  vip, legal-hold, lighthouse, museum`)
export const problems = listOf(`
  late deliveries, high returns, manual invoices, lost parcels, slow reports, stock differences, unreadable labels,
  double bookings, missing customs papers, flooded basement`)
export const technologies = listOf('SAP, Shopify, Salesforce, Oracle, Snowflake, Odoo, Kafka, Db2, COBOL')
export const competitors = listOf('Contoso, Fabrikam, Tailspin, Litware, Wingtip, Humongous, Adatum, Proseware')
export const requests = listOf(`
  Shipment has not arrived, Invoice shows a wrong amount, Cannot sign in, Label does not scan, Report is empty,
  Please add a user, Delivery was damaged, Question about the contract, Price list is old, Driver did not ring,
  Pallet was mixed up, Temperature alarm, Falcon nests on the roof`)
export const details = listOf(`
  It happened again this week and the customer asks for a date., The customer called twice., Photos are attached.,
  No further details were given., A credit note was promised for the next invoice., The warehouse could not find the parcel.,
  It blocks the whole shift., The auditor wants a written statement.`)
