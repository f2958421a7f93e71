import { DataTypes, type Model, type ModelStatic, type Sequelize } from 'sequelize';

export interface Models {
  readonly Item: ModelStatic<Model>;
  readonly Total: ModelStatic<Model>;
  readonly Parent: ModelStatic<Model>;
  readonly Child: ModelStatic<Model>;
  readonly Reading: ModelStatic<Model>;
  readonly Note: ModelStatic<Model>;
  readonly Tag: ModelStatic<Model>;
  readonly ItemTag: ModelStatic<Model>;
  readonly Quiet: ModelStatic<Model>;
}

const KEY = { type: DataTypes.INTEGER, primaryKey: true };
const NUMBER = { type: DataTypes.INTEGER };

export function defineModels(sequelize: Sequelize): Models {
  const define = (name: string, table: string, attributes: object) =>
    sequelize.define(name, { ...attributes }, { tableName: table, timestamps: false });
  const Item = define('item', 'items', { id: KEY, version: NUMBER });
  const Total = define('total', 'totals', {
    itemId: { ...KEY, field: 'item_id' },
    version: NUMBER,
  });
  const Parent = define('parent', 'parents', { id: KEY, version: NUMBER });
  const Child = define('child', 'children', {
    id: KEY,
    parentId: { ...NUMBER, field: 'parent_id' },
    version: { ...NUMBER, field: 'parent_version' },
  });
  const Reading = define('reading', 'readings', { id: KEY, half: NUMBER, version: NUMBER });
  const Note = define('note', 'notes', { id: KEY, version: NUMBER });
  const Tag = define('tag', 'tags', { id: KEY });
  const ItemTag = define('itemTag', 'item_tags', {
    itemId: { ...KEY, field: 'item_id' },
    tagId: { ...KEY, field: 'tag_id' },
  });
  const Quiet = define('quiet', 'quiet', { id: KEY, version: NUMBER });
  Item.hasOne(Total, { as: 'total', foreignKey: 'itemId', constraints: false });
  Parent.hasMany(Child, { as: 'children', foreignKey: 'parentId', constraints: false });
  Item.belongsToMany(Tag, {
    ...{ as: 'tags', through: ItemTag, foreignKey: 'itemId', otherKey: 'tagId' },
    constraints: false,
  });
  Tag.belongsToMany(Item, {
    ...{ as: 'items', through: ItemTag, foreignKey: 'tagId', otherKey: 'itemId' },
    constraints: false,
  });
  return { Item, Total, Parent, Child, Reading, Note, Tag, ItemTag, Quiet };
}
