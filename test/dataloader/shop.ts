import { DataTypes, Op, literal, type Model, type ModelStatic, type Sequelize } from 'sequelize';

export const SHOP_TABLES = [
  `CREATE TABLE shops (id serial PRIMARY KEY, name text NOT NULL, code text UNIQUE)`,
  `CREATE TABLE items (id serial PRIMARY KEY, shop_id int REFERENCES shops, label text NOT NULL, price int NOT NULL,
     hidden boolean NOT NULL DEFAULT false, kind text NOT NULL DEFAULT 'plain', "deletedAt" timestamptz)`,
  `CREATE INDEX ON items (shop_id)`,
  `CREATE TABLE labels (id serial PRIMARY KEY, word text NOT NULL)`,
  `CREATE TABLE item_labels (item_id int REFERENCES items, label_id int REFERENCES labels, rank int NOT NULL,
     kind text NOT NULL DEFAULT 'real', PRIMARY KEY (item_id, label_id))`,
  `CREATE TABLE reviews (id serial PRIMARY KEY, item_id int NOT NULL REFERENCES items, stars int NOT NULL)`,
];

type AnyModel = ModelStatic<Model<Record<string, unknown>, Record<string, unknown>>>;

/** Models with what goes wrong in batches: scopes with Op.and, soft deletes, scoped associations. */
export function shop(sequelize: Sequelize) {
  const options = { timestamps: false, underscored: true };
  const Shop: AnyModel = sequelize.define(
    'Shop',
    { name: DataTypes.TEXT, code: { type: DataTypes.TEXT, unique: true } },
    { ...options, tableName: 'shops' },
  );
  const Item: AnyModel = sequelize.define(
    'Item',
    {
      shopId: { type: DataTypes.INTEGER, field: 'shop_id' },
      label: DataTypes.TEXT,
      price: DataTypes.INTEGER,
      hidden: DataTypes.BOOLEAN,
      kind: DataTypes.TEXT,
      deletedAt: { type: DataTypes.DATE, field: 'deletedAt' },
    },
    {
      tableName: 'items',
      timestamps: true,
      createdAt: false,
      updatedAt: false,
      paranoid: true,
      defaultScope: { where: { [Op.and]: [{ hidden: false }] } },
      scopes: {
        cheap: { where: { price: { [Op.lt]: 5 } } },
        between: (low: number, high: number) => ({
          where: { price: { [Op.between]: [low, high] } },
        }),
        firstTwo: { limit: 2, order: [['id', 'ASC']] },
        slim: { attributes: ['id', 'label'] },
        ofShopOne: { where: { shopId: 1 } },
      },
    },
  );
  const Label: AnyModel = sequelize.define(
    'Label',
    { word: DataTypes.TEXT },
    { ...options, tableName: 'labels' },
  );
  const ItemLabel: AnyModel = sequelize.define(
    'ItemLabel',
    {
      itemId: { type: DataTypes.INTEGER, primaryKey: true },
      labelId: { type: DataTypes.INTEGER, primaryKey: true },
      rank: DataTypes.INTEGER,
      kind: { type: DataTypes.TEXT, defaultValue: 'real' },
    },
    { ...options, tableName: 'item_labels' },
  );
  const Review: AnyModel = sequelize.define(
    'Review',
    { itemId: DataTypes.INTEGER, stars: DataTypes.INTEGER },
    { ...options, tableName: 'reviews' },
  );
  const between = { through: { model: ItemLabel, scope: { kind: 'real' } } };
  return {
    Shop,
    Item,
    Label,
    ItemLabel,
    Review,
    items: Shop.hasMany(Item, { as: 'items', foreignKey: 'shopId' }),
    plainItems: Shop.hasMany(Item, {
      as: 'plainItems',
      foreignKey: 'shopId',
      scope: { kind: 'plain' },
    }),
    special: Shop.hasOne(Item, { as: 'special', foreignKey: 'shopId', scope: { kind: 'special' } }),
    owner: Item.belongsTo(Shop, { as: 'shop', foreignKey: 'shopId' }),
    shopByCode: Item.belongsTo(Shop, {
      as: 'coded',
      foreignKey: 'label',
      targetKey: 'code',
      constraints: false,
    }),
    reviews: Item.hasMany(Review, { as: 'reviews', foreignKey: 'itemId' }),
    labels: Item.belongsToMany(Label, {
      ...between,
      as: 'labels',
      foreignKey: 'itemId',
      otherKey: 'labelId',
    }),
    itemsOfLabel: Label.belongsToMany(Item, {
      ...between,
      as: 'items',
      foreignKey: 'labelId',
      otherKey: 'itemId',
    }),
  };
}

/** A condition with what looks like parameters in it. */
export const LOOKS_LIKE_PARAMETERS = literal(`'$5 :name ?' <> "Item"."label"`);

/** Rows for every table, the same for the same seed. */
export function fill(seed: number): string[] {
  let state = seed;
  const random = (below: number) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };
  const rows = (count: number, row: (id: number) => string) =>
    Array.from({ length: count }, (_, index) => `(${row(index + 1)})`).join(', ');
  const pairs = new Set<string>();
  while (pairs.size < 120) pairs.add(`${random(80) + 1}, ${random(12) + 1}`);
  return [
    `INSERT INTO shops (name, code) VALUES ${rows(12, (id) => `'shop ${id}', ${id % 3 ? `'c${id}'` : 'NULL'}`)}`,
    `INSERT INTO items (shop_id, label, price, hidden, kind, "deletedAt") VALUES ${rows(
      80,
      () =>
        `${random(9) ? random(10) + 1 : 'NULL'}, 'c${random(14)}', ${random(10)}, ${random(4) === 0}, ` +
        `'${['plain', 'special'][random(2)]}', ${random(5) ? 'NULL' : 'now()'}`,
    )}`,
    `INSERT INTO labels (word) VALUES ${rows(12, (id) => `'word ${id}'`)}`,
    `INSERT INTO item_labels VALUES ${[...pairs].map((pair) => `(${pair}, ${random(9)}, '${random(5) ? 'real' : 'draft'}')`).join(', ')}`,
    `INSERT INTO reviews (item_id, stars) VALUES ${rows(150, () => `${random(80) + 1}, ${random(5)}`)}`,
  ];
}
