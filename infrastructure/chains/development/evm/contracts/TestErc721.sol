// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

interface Erc721Receiver {
    function onERC721Received(address operator, address from, uint256 tokenId, bytes calldata data)
        external
        returns (bytes4);
}

/// Unique tokens of the development chain: plain ERC-721, and anybody may mint.
contract TestErc721 {
    string public constant name = "Test Collectible";
    string public constant symbol = "TESTC";

    /// Lowest id that `mint(to)` has not passed yet.
    uint256 private _next = 1;
    mapping(uint256 => address) private _owners;
    mapping(address => uint256) private _balances;
    mapping(uint256 => address) private _approved;
    mapping(address => mapping(address => bool)) public isApprovedForAll;

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId);
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);

    /// ERC-165 itself, ERC-721 and its metadata.
    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd || id == 0x5b5e139f;
    }

    function balanceOf(address owner) external view returns (uint256) {
        require(owner != address(0), "ERC721: the zero address owns nothing");
        return _balances[owner];
    }

    function ownerOf(uint256 tokenId) public view returns (address owner) {
        owner = _owners[tokenId];
        require(owner != address(0), "ERC721: no such token");
    }

    function getApproved(uint256 tokenId) external view returns (address) {
        ownerOf(tokenId);
        return _approved[tokenId];
    }

    function tokenURI(uint256 tokenId) external view returns (string memory) {
        ownerOf(tokenId);
        return string.concat("data:application/json,%7B%22name%22%3A%22Test%20Collectible%20", _decimal(tokenId), "%22%7D");
    }

    /// Mints the next free id.
    function mint(address to) external returns (uint256 tokenId) {
        while (_owners[_next] != address(0)) _next++;
        tokenId = _next++;
        _give(address(0), to, tokenId);
    }

    function mint(address to, uint256 tokenId) external {
        require(_owners[tokenId] == address(0), "ERC721: that token exists already");
        _give(address(0), to, tokenId);
    }

    function approve(address approved, uint256 tokenId) external {
        address owner = ownerOf(tokenId);
        require(msg.sender == owner || isApprovedForAll[owner][msg.sender], "ERC721: not the owner");
        _approved[tokenId] = approved;
        emit Approval(owner, approved, tokenId);
    }

    function setApprovalForAll(address operator, bool approved) external {
        isApprovedForAll[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    function transferFrom(address from, address to, uint256 tokenId) public {
        require(ownerOf(tokenId) == from, "ERC721: from another than the owner");
        require(
            msg.sender == from || isApprovedForAll[from][msg.sender] || _approved[tokenId] == msg.sender,
            "ERC721: not approved"
        );
        _give(from, to, tokenId);
    }

    function safeTransferFrom(address from, address to, uint256 tokenId) external {
        safeTransferFrom(from, to, tokenId, "");
    }

    function safeTransferFrom(address from, address to, uint256 tokenId, bytes memory data) public {
        transferFrom(from, to, tokenId);
        require(
            to.code.length == 0
                || Erc721Receiver(to).onERC721Received(msg.sender, from, tokenId, data)
                    == Erc721Receiver.onERC721Received.selector,
            "ERC721: not accepted"
        );
    }

    function _give(address from, address to, uint256 tokenId) private {
        require(to != address(0), "ERC721: to the zero address");
        delete _approved[tokenId];
        if (from != address(0)) _balances[from]--;
        _balances[to]++;
        _owners[tokenId] = to;
        emit Transfer(from, to, tokenId);
    }

    function _decimal(uint256 value) private pure returns (string memory) {
        uint256 digits = 1;
        for (uint256 rest = value / 10; rest != 0; rest /= 10) digits++;
        bytes memory text = new bytes(digits);
        for (; digits > 0; value /= 10) text[--digits] = bytes1(uint8(48 + (value % 10)));
        return string(text);
    }
}
