// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

interface Erc1155Receiver {
    function onERC1155Received(address operator, address from, uint256 id, uint256 value, bytes calldata data)
        external
        returns (bytes4);

    function onERC1155BatchReceived(
        address operator,
        address from,
        uint256[] calldata ids,
        uint256[] calldata values,
        bytes calldata data
    ) external returns (bytes4);
}

/// Tokens of many kinds on the development chain: plain ERC-1155, and anybody may mint.
contract TestErc1155 {
    string public constant name = "Test Items";
    string public constant symbol = "TESTI";

    mapping(address => mapping(uint256 => uint256)) private _balances;
    mapping(address => mapping(address => bool)) public isApprovedForAll;

    event TransferSingle(
        address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value
    );
    event TransferBatch(
        address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values
    );
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);

    modifier allowed(address from, address to) {
        require(msg.sender == from || isApprovedForAll[from][msg.sender], "ERC1155: not approved");
        require(to != address(0), "ERC1155: to the zero address");
        _;
    }

    /// ERC-165 itself, ERC-1155 and its metadata.
    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0xd9b67a26 || id == 0x0e89341c;
    }

    function uri(uint256) external pure returns (string memory) {
        return "data:application/json,%7B%22name%22%3A%22Test%20Item%20{id}%22%7D";
    }

    function balanceOf(address owner, uint256 id) public view returns (uint256) {
        return _balances[owner][id];
    }

    function balanceOfBatch(address[] calldata owners, uint256[] calldata ids)
        external
        view
        returns (uint256[] memory balances)
    {
        require(owners.length == ids.length, "ERC1155: lists differ in length");
        balances = new uint256[](owners.length);
        for (uint256 i = 0; i < owners.length; i++) balances[i] = balanceOf(owners[i], ids[i]);
    }

    function mint(address to, uint256 id, uint256 value) external {
        require(to != address(0), "ERC1155: to the zero address");
        _balances[to][id] += value;
        emit TransferSingle(msg.sender, address(0), to, id, value);
        _offer(address(0), to, id, value, "");
    }

    function setApprovalForAll(address operator, bool approved) external {
        isApprovedForAll[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes calldata data)
        external
        allowed(from, to)
    {
        _move(from, to, id, value);
        emit TransferSingle(msg.sender, from, to, id, value);
        _offer(from, to, id, value, data);
    }

    function safeBatchTransferFrom(
        address from,
        address to,
        uint256[] calldata ids,
        uint256[] calldata values,
        bytes calldata data
    ) external allowed(from, to) {
        require(ids.length == values.length, "ERC1155: lists differ in length");
        for (uint256 i = 0; i < ids.length; i++) _move(from, to, ids[i], values[i]);
        emit TransferBatch(msg.sender, from, to, ids, values);
        require(
            to.code.length == 0
                || Erc1155Receiver(to).onERC1155BatchReceived(msg.sender, from, ids, values, data)
                    == Erc1155Receiver.onERC1155BatchReceived.selector,
            "ERC1155: not accepted"
        );
    }

    function _move(address from, address to, uint256 id, uint256 value) private {
        require(_balances[from][id] >= value, "ERC1155: balance exceeded");
        unchecked {
            _balances[from][id] -= value;
        }
        _balances[to][id] += value;
    }

    function _offer(address from, address to, uint256 id, uint256 value, bytes memory data) private {
        require(
            to.code.length == 0
                || Erc1155Receiver(to).onERC1155Received(msg.sender, from, id, value, data)
                    == Erc1155Receiver.onERC1155Received.selector,
            "ERC1155: not accepted"
        );
    }
}
