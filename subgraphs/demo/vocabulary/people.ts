import { items, table } from './text.ts'

/** First names, time zone, language and mobile numbers of a country; the numbers are reserved for fiction, `#` is a digit. */
interface NamesOfCountry {
  readonly women: readonly string[]
  readonly men: readonly string[]
  readonly language: string
  /** Null for countries with several time zones. */
  readonly timezone: string | null
  /** Null if no mobile numbers of the country are reserved for fiction. */
  readonly mobile: string | null
}

/** Rows of `country | language | time zone | mobile number | women | men`. */
const rows = table(`
  Sweden | sv | Europe/Stockholm | +46 70 174 06 ## | Astrid, Elsa, Karin, Maja, Linnea, Sara, Ulrika, Agneta, Ebba, Johanna, Malin, Frida, Saga, Annika | Erik, Lars, Gustav, Oskar, Nils, Mattias, Henrik, Jonas, Axel, Fredrik, Anders, Emil, Viktor, Stellan
  Ireland | en | Europe/Dublin | | Aoife, Niamh, Ciara, Sinéad, Orla, Róisín, Gráinne, Maeve, Deirdre, Fiona, Clodagh, Eimear | Cian, Conor, Declan, Eoin, Fergus, Liam, Oisín, Ronan, Seán, Tadhg, Colm, Brendan
  Germany | de | Europe/Berlin | +49 176 040690 ## | Anna, Birgit, Claudia, Franziska, Greta, Heike, Jana, Katharina, Lena, Miriam, Petra, Sabine, Theresa, Ulrike | Andreas, Bernd, Christoph, Dieter, Felix, Georg, Holger, Jan, Klaus, Lukas, Matthias, Rainer, Stefan, Tobias
  France | fr | Europe/Paris | +33 6 39 98 ## ## | Amélie, Camille, Delphine, Élodie, Florence, Hélène, Inès, Juliette, Margaux, Nathalie, Sandrine, Virginie | Antoine, Bastien, Cédric, Étienne, Fabrice, Guillaume, Julien, Laurent, Mathieu, Olivier, Rémi, Thibault
  United Kingdom | en-GB | Europe/London | +44 7700 900### | Alice, Bethany, Charlotte, Eleanor, Fiona, Gemma, Harriet, Imogen, Louise, Megan, Nicola, Rachel, Sophie, Victoria | Adam, Callum, Daniel, Edward, George, Harry, Ian, James, Lewis, Neil, Oliver, Rory, Stuart, Thomas
  United States | en-US | | +1 312 555 01## | Abigail, Brenda, Carla, Denise, Emily, Gabriela, Hannah, Jasmine, Kimberly, Latoya, Monica, Renee, Samantha, Tiffany | Aaron, Brian, Carlos, Derek, Ethan, Gregory, Hector, Jamal, Kevin, Luis, Nathan, Patrick, Ryan, Tyler
  Canada | en-CA | | +1 604 555 01## | Andrea, Chantal, Danielle, Erin, Geneviève, Heather, Isabelle, Kathleen, Melissa, Nadine, Sylvie, Tara | Alain, Benoit, Craig, Dylan, Evan, Graeme, Jacob, Logan, Marc, Owen, Philippe, Trevor
  Australia | en-AU | | +61 491 570 1## | Amber, Bronwyn, Chloe, Felicity, Georgia, Holly, Kylie, Matilda, Narelle, Paige, Skye, Tegan | Angus, Blake, Cameron, Darcy, Flynn, Hamish, Jarrod, Lachlan, Mitchell, Nathaniel, Riley, Toby
`)

export const namesOf: Readonly<Record<string, NamesOfCountry>> = Object.fromEntries(
  rows.map(([country, language, timezone, mobile, women, men]) => [
    country!,
    {
      language: language!,
      timezone: timezone || null,
      mobile: mobile || null,
      women: items(women!),
      men: items(men!),
    },
  ]),
)

export interface Position {
  readonly title: string
  readonly department: string
  readonly seniority: 'C_LEVEL' | 'VP' | 'DIRECTOR' | 'MANAGER' | 'INDIVIDUAL'
}

/** Positions of the people who buy and use the products, with those who decide first. */
const positions = (text: string): Position[] =>
  table(text).map(([title, department, seniority]) => ({
    title: title!,
    department: department!,
    seniority: seniority as Position['seniority'],
  }))

export const freightPositions = positions(`
  Chief Operating Officer | Operations | C_LEVEL
  Managing Director | Management | C_LEVEL
  Chief Financial Officer | Finance | C_LEVEL
  Chief Information Officer | IT | C_LEVEL
  Vice President Supply Chain | Supply Chain | VP
  Vice President Operations | Operations | VP
  Director of Logistics | Logistics | DIRECTOR
  Head of Warehouse Operations | Operations | DIRECTOR
  Head of IT | IT | DIRECTOR
  Head of Procurement | Procurement | DIRECTOR
  Warehouse Manager | Operations | MANAGER
  Transport Manager | Logistics | MANAGER
  Inbound Manager | Operations | MANAGER
  Purchasing Manager | Procurement | MANAGER
  Customer Service Manager | Customer Service | MANAGER
  Finance Manager | Finance | MANAGER
  Continuous Improvement Manager | Quality | MANAGER
  Shift Supervisor | Operations | INDIVIDUAL
  Application Specialist | IT | INDIVIDUAL
  Network Engineer | IT | INDIVIDUAL
  Buyer | Procurement | INDIVIDUAL
  Customs Specialist | Logistics | INDIVIDUAL
  Dispatcher | Logistics | INDIVIDUAL
  Inventory Analyst | Supply Chain | INDIVIDUAL
  Accounts Payable Clerk | Finance | INDIVIDUAL
`)

export const laboratoryPositions = positions(`
  Chief Scientific Officer | Research | C_LEVEL
  Managing Director | Management | C_LEVEL
  Vice President Quality | Quality | VP
  Director of Quality Control | Quality | DIRECTOR
  Head of Analytical Services | Laboratory | DIRECTOR
  Head of Procurement | Procurement | DIRECTOR
  Laboratory Manager | Laboratory | MANAGER
  Quality Manager | Quality | MANAGER
  Calibration Manager | Metrology | MANAGER
  Facilities Manager | Facilities | MANAGER
  Purchasing Manager | Procurement | MANAGER
  Senior Chemist | Laboratory | INDIVIDUAL
  Laboratory Technician | Laboratory | INDIVIDUAL
  Metrology Technician | Metrology | INDIVIDUAL
  Validation Engineer | Quality | INDIVIDUAL
  Buyer | Procurement | INDIVIDUAL
`)
